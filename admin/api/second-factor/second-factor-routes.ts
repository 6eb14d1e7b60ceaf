/** /api/profile/second-factor, /passkeys and /confirm: how someone logs in besides their password. */
import { type Context, Elysia } from 'elysia';
import { checkValue } from '../../../shared/http/check-value.ts';
import { missingParameter } from '../../../shared/http/parameter-errors.ts';
import { authorized, type Caller } from '../../auth/authorize.ts';
import type { LoginProtection } from '../../auth/login-protection.ts';
import { beginApp } from '../../auth/second-factor/authenticator-app.ts';
import { issueChallenge } from '../../auth/second-factor/challenges.ts';
import {
  confirmByFactor,
  confirmByPassword,
  factorNeeded,
  requireConfirmed,
} from '../../auth/second-factor/confirm-identity.ts';
import {
  addApp,
  addPasskeyTo,
  readFactors,
  removeAppOf,
  removePasskeyOf,
  replaceCodes,
} from '../../auth/second-factor/factors.ts';
import { creationOptions, renamePasskey, requestOptions } from '../../auth/second-factor/passkeys.ts';
import { totpUrl } from '../../auth/second-factor/totp.ts';
import type { DbOrTransaction } from '../../database/connect.ts';
import { isProven, linkNotOpened, refuseUnproven } from '../../database/rows/account-state.ts';
import { callerAddress } from '../../http/request/caller-address.ts';
import { checkQuery } from '../../http/request/check-query.ts';
import { preferredLanguage } from '../../http/request/preferred-language.ts';
import type { AdminServices } from '../../services.ts';
import { deliverDeactivationOf } from '../keys/deliver-key.ts';
import { proofServices } from './proof-services.ts';
import * as docs from './second-factor-docs.ts';
import {
  appCodeBody,
  confirmBody,
  newPasskeyBody,
  passkeyNameBody,
  passkeyParams,
  readProof,
  renderFactors,
  renderPasskey,
} from './second-factor-schemas.ts';

/**
 * Where the address is not verified, its owner's verification would end the factor. Where its owner has followed a link without a log-in,
 * a stranger may know the password: their factor would stay after a reset of it.
 */
async function requireMayAdd(db: DbOrTransaction, caller: Caller): Promise<void> {
  await requireConfirmed(db, caller);
  await refuseUnproven(db, caller.homeAccountId);
  if (!(await isProven(db, caller.homeAccountId))) throw linkNotOpened();
}

const languageOf = (headers: Context['headers']) => preferredLanguage(headers['accept-language']);

export function secondFactorRoutes(services: AdminServices) {
  const { config, database } = services;
  const { db } = database;
  return new Elysia({ prefix: '/api/profile/second-factor' })
    .use(authorized(services))
    .get(
      '',
      async ({ caller }) => renderFactors(await readFactors(db, caller.id), await isProven(db, caller.homeAccountId)),
      docs.getFactorsDocs,
    )
    .post(
      '/app',
      async ({ caller, set }) => {
        await requireMayAdd(db, caller);
        const secret = await beginApp(db, { userId: caller.id, keyPeppers: config.keyPeppers });
        set.status = 201;
        return { secret, url: totpUrl({ secret, email: caller.email, issuer: config.mail.brand.name }) };
      },
      docs.beginAppDocs,
    )
    .post(
      '/app/confirm',
      async ({ actor, body, caller, headers }) => {
        const { code } = checkValue(appCodeBody, body);
        await requireMayAdd(db, caller);
        const { keyPeppers } = config;
        const added = await addApp(db, { caller, actor, language: languageOf(headers), code, keyPeppers });
        await deliverDeactivationOf(services, caller.id);
        return added;
      },
      docs.addAppDocs,
    )
    .delete(
      '/app',
      async ({ actor, caller, headers, set }) => {
        await requireConfirmed(db, caller);
        await removeAppOf(db, { caller, actor, language: languageOf(headers) });
        set.status = 204;
      },
      docs.removeAppDocs,
    )
    .post(
      '/recovery-codes',
      async ({ actor, caller, headers, set }) => {
        await requireConfirmed(db, caller);
        set.status = 201;
        return { recoveryCodes: await replaceCodes(db, { caller, actor, language: languageOf(headers) }) };
      },
      docs.replaceCodesDocs,
    );
}

export function passkeyRoutes(services: AdminServices, protection: LoginProtection) {
  const { config, database } = services;
  const { db } = database;
  return new Elysia({ prefix: '/api/profile/passkeys' })
    .use(authorized(services))
    .post(
      '/options',
      async ({ caller, request, server, set }) => {
        await requireMayAdd(db, caller);
        await protection.requests.countSignIn(callerAddress({ request, server }, config));
        const issued = await issueChallenge(db, { purpose: 'add_passkey', userId: caller.id });
        const { challenge, expiresAt, webauthnChallenge } = issued;
        const options = await creationOptions(db, proofServices(config).site, { user: caller, webauthnChallenge });
        set.status = 201;
        return { challenge, expiresAt: expiresAt.toISOString(), options };
      },
      docs.beginPasskeyDocs,
    )
    .post(
      '',
      async ({ actor, body, caller, headers, set }) => {
        const { passkey: response, ...input } = checkValue(newPasskeyBody, body);
        await requireMayAdd(db, caller);
        const change = { caller, actor, language: languageOf(headers), ...input, response };
        const { passkey, recoveryCodes } = await addPasskeyTo(db, proofServices(config).site, change);
        await deliverDeactivationOf(services, caller.id);
        set.status = 201;
        return { ...renderPasskey(passkey), recoveryCodes };
      },
      docs.addPasskeyDocs,
    )
    .put(
      '/:id',
      async ({ body, caller, params }) => {
        const { id } = checkQuery(passkeyParams, params);
        const { name } = checkValue(passkeyNameBody, body);
        return renderPasskey(await renamePasskey(db, caller.id, id, name));
      },
      docs.renamePasskeyDocs,
    )
    .delete(
      '/:id',
      async ({ actor, caller, headers, params, set }) => {
        const { id } = checkQuery(passkeyParams, params);
        await requireConfirmed(db, caller);
        await removePasskeyOf(db, { caller, actor, language: languageOf(headers), id });
        set.status = 204;
      },
      docs.removePasskeyDocs,
    );
}

export function confirmRoutes(services: AdminServices, protection: LoginProtection) {
  const { config, database } = services;
  const { db } = database;
  return new Elysia({ prefix: '/api/profile/confirm' })
    .use(authorized(services))
    .post(
      '',
      async ({ body, caller, headers, request, server, set }) => {
        const { current_password: password, challenge, ...answer } = checkValue(confirmBody, body);
        const address = callerAddress({ request, server }, config);
        await protection.requests.countSignIn(address);
        if (password !== undefined) {
          if (caller.secondFactorAt !== null) throw factorNeeded();
          await confirmByPassword(db, protection, { caller, password, address });
        } else {
          const proof = readProof(answer);
          if ('passkey' in proof && challenge === undefined) throw missingParameter('challenge');
          const confirmation = { caller, proof, challenge, language: languageOf(headers) };
          await confirmByFactor(db, proofServices(config), confirmation);
        }
        set.status = 204;
      },
      docs.confirmDocs,
    )
    .post(
      '/passkey',
      async ({ caller, request, server }) => {
        await protection.requests.countSignIn(callerAddress({ request, server }, config));
        const issued = await issueChallenge(db, { purpose: 'confirm', userId: caller.id });
        const { challenge, expiresAt, webauthnChallenge } = issued;
        const asked = { userId: caller.id, webauthnChallenge };
        const options = await requestOptions(db, proofServices(config).site, asked);
        return { challenge, expiresAt: expiresAt.toISOString(), options };
      },
      docs.confirmPasskeyDocs,
    );
}
