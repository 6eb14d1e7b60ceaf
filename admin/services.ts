/** What admin's programs share: both stores, the wallet keeper, the mailer, the log. Opened once, closed last. */
import { Bodies } from '../shared/http/intake/bodies.ts';
import type { Log } from '../shared/log.ts';
import { connectRedis, type RedisClient } from '../shared/redis/connect.ts';
import { WalletKeeper } from '../shared/wallet/wallet-keeper.ts';
import { CatalogueReaders } from './catalogue/catalogue-readers.ts';
import type { AdminConfig } from './config/admin.ts';
import type { MailConfig } from './config/mail.ts';
import {
  connectDatabase,
  type Database,
  type DatabaseOptions,
  longWaits,
  scanWaits,
  shortWaits,
} from './database/connect.ts';
import { PdfWorkers } from './documents/files/pdf-workers.ts';
import { readSellerOf, type Seller } from './documents/seller/read-seller.ts';
import { EventHub } from './events/event-hub.ts';
import { changeLimits, HeavyWork, heavyLimits } from './heavy-work/heavy-work.ts';
import { UsageArchive } from './ledger/archive/usage-archive.ts';
import { FileMailer } from './mail/transport/file-mailer.ts';
import type { Mailer } from './mail/transport/mailer.ts';
import { SmtpMailer } from './mail/transport/smtp-mailer.ts';

export interface AdminServices {
  readonly config: AdminConfig;
  /** For work that a caller waits for. */
  readonly database: Database;
  /** For workers, and for queries over many rows. */
  readonly backgroundDatabase: Database;
  /** For the few statements that read whole tables. */
  readonly scanDatabase: Database;
  /** The charges of months that have left the database. */
  readonly archive: UsageArchive;
  readonly redis: RedisClient;
  readonly keeper: WalletKeeper;
  readonly mailer: Mailer;
  /** Who issues accounting documents; undefined without SELLER_FILE. */
  readonly seller: Seller | undefined;
  readonly pdfWorkers: PdfWorkers;
  readonly catalogueReaders: CatalogueReaders;
  /** Limits what takes more than a request should. */
  readonly heavyWork: HeavyWork;
  readonly heavyChanges: HeavyWork<'change'>;
  readonly log: Log;
  /** Request bodies that are being read. */
  readonly bodies: Bodies;
  /** Clients that listen to events of their accounts. */
  readonly events: EventHub;
}

/** Far more than all forms together; a catalogue has a few megabytes. */
const bodiesMaxBytes = 128 * 1024 * 1024;

/** Of the pool of requests, and of that of workers. */
const usualConnections = 8;
const scanConnections = 4;

/**
 * Both clients connect lazily and keep retrying; /readyz reports whether they are connected. Throws ConfigurationError
 * with all problems of the seller's file.
 */
export function openServices(
  config: AdminConfig,
  log: Log,
  { connections = usualConnections, waits = shortWaits }: DatabaseOptions = {},
): AdminServices {
  const seller = readSellerOf(config.payments);
  const redis = connectRedis(
    config.redisAddress,
    (error) => log.warn({ err: error }, 'Redis cannot be reached'),
    config.redisCommandTimeoutMs,
  );
  const database = connectDatabase(config.databaseUrl, { connections, waits });
  const archive = new UsageArchive(config.archivePlace);
  return {
    config,
    log,
    redis,
    database,
    backgroundDatabase: connectDatabase(config.databaseUrl, { connections, waits: longWaits }),
    archive,
    scanDatabase: connectDatabase(config.databaseUrl, { connections: scanConnections, waits: scanWaits }),
    keeper: new WalletKeeper(redis),
    mailer: createMailer(config),
    seller,
    pdfWorkers: new PdfWorkers(),
    catalogueReaders: new CatalogueReaders(),
    heavyWork: new HeavyWork(heavyLimits),
    heavyChanges: new HeavyWork(changeLimits),
    bodies: new Bodies({ maxBytes: bodiesMaxBytes }),
    events: new EventHub({ database, archive, redis, log }),
  };
}

export async function closeServices(services: AdminServices): Promise<void> {
  services.bodies.stop();
  services.events.stop();
  services.pdfWorkers.stop();
  services.catalogueReaders.stop();
  services.redis.disconnect();
  const { database, backgroundDatabase, scanDatabase } = services;
  await Promise.all([database, backgroundDatabase, scanDatabase].map((each) => each.close()));
}

/** A mail server if one is configured, otherwise files. Each mail has its own connection, to the server of that moment. */
function createMailer({ mail, dataDirectory }: { readonly mail: MailConfig; readonly dataDirectory: string }): Mailer {
  if (mail.smtpUrl === undefined) return new FileMailer(dataDirectory, mail.from);
  return { send: (letter, signal) => new SmtpMailer(mail.smtpUrl ?? '', mail.from).send(letter, signal) };
}
