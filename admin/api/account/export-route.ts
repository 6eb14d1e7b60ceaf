/** GET /api/account/export: everything about the caller's account as one zip archive, streamed. */
import { Elysia } from 'elysia';
import { exportAccount, exportsRefusal, tooManyAtOnce } from '../../accounts/export/export-account.ts';
import { type Caller, requireUser } from '../../auth/require-user.ts';
import { Throttle, throttleKey } from '../../auth/throttle/throttle.ts';
import type { AdminServices } from '../../services.ts';
import { exportAccountDocs } from './account-docs.ts';

/** Of a replica. Each has one query at a time, so that workers keep their share of Postgres. */
export const exportsAtOnceMax = 4;
export const exportsMax = 10;
const windowMs = 3_600_000;
/** Millions of requests take some minutes; a reader who takes longer holds up others. */
const timeoutMs = 15 * 60_000;

export function exportRoute(services: AdminServices) {
  const throttle = new Throttle(services.redis, services.log);
  let running = 0;

  const begin = async (caller: Caller, left: AbortSignal) => {
    if (running >= exportsAtOnceMax) throw tooManyAtOnce();
    const counter = { key: throttleKey('exports', String(caller.accountId)), max: exportsMax, windowMs };
    running += 1;
    const end = () => {
      running -= 1;
    };
    try {
      await throttle.take([counter], exportsRefusal);
      const order = { user: caller, sessionId: caller.sessionId, at: new Date() };
      return await exportAccount(services.backgroundDatabase.db, order, {
        signal: AbortSignal.any([left, AbortSignal.timeout(timeoutMs)]),
        onEnd: (failure) => {
          end();
          if (failure !== undefined && !left.aborted)
            services.log.warn({ err: failure, accountId: caller.accountId }, 'an export broke off');
        },
      });
    } catch (error) {
      end();
      throw error;
    }
  };

  return new Elysia({ prefix: '/api/account' }).use(requireUser(services)).get(
    '/export',
    async ({ caller, request }) => {
      const { name, stream } = await begin(caller, request.signal);
      const headers = {
        'content-type': 'application/zip',
        'content-disposition': `attachment; filename="${name}"`,
      };
      return new Response(stream, { headers });
    },
    exportAccountDocs,
  );
}
