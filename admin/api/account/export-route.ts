/** GET /api/account/export: everything about the caller's account as one zip archive, streamed. */
import { Elysia } from 'elysia';
import { authorized, type Caller } from '../../auth/authorize.ts';
import { Throttle, throttleKey } from '../../auth/throttle/throttle.ts';
import { streamInTurn } from '../../heavy-work/stream-in-turn.ts';
import { type Actor, recordAction } from '../../operations/audit/record-action.ts';
import type { AdminServices } from '../../services.ts';
import { exportAccountDocs } from './account-docs.ts';
import { exportAccount, exportsRefusal } from './export/export-account.ts';

export const exportsMax = 10;
const windowMs = 3_600_000;

export function exportRoute(services: AdminServices) {
  const { archive, backgroundDatabase, heavyWork, log, redis } = services;
  const throttle = new Throttle(redis, log);

  const openArchive = async (
    { actor, caller }: { actor: Actor; caller: Caller },
    { left, signal }: { left: AbortSignal; signal: AbortSignal },
  ) => {
    const { accountId, sessionId } = caller;
    const counter = { key: throttleKey('exports', String(accountId)), max: exportsMax, windowMs };
    await throttle.take([counter], exportsRefusal);
    const subject = `account ${accountId}`;
    await recordAction(backgroundDatabase.db, actor, { action: 'account.export', subject, accountId });
    const onEnd = (failure: unknown) => {
      if (failure !== undefined && !left.aborted) log.warn({ err: failure, accountId }, 'an export was interrupted');
    };
    return exportAccount(
      { db: backgroundDatabase.db, archive },
      { accountId, user: caller, sessionId, at: new Date() },
      { signal, onEnd },
    );
  };

  return new Elysia({ prefix: '/api/account' }).use(authorized(services)).get(
    '/export',
    async ({ actor, caller, reauthorize, request: { signal: left } }) => {
      const task = { kind: 'export', accountId: caller.accountId, signal: left, reauthorize } as const;
      const stream = await streamInTurn(heavyWork, task, (signal) => openArchive({ actor, caller }, { left, signal }));
      const headers = {
        'content-type': 'application/zip',
        'content-disposition': `attachment; filename="account-${caller.accountId}.zip"`,
      };
      return new Response(stream, { headers });
    },
    exportAccountDocs,
  );
}
