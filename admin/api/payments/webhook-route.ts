/** /api/webhooks/yookassa and the like: notifications of payment providers, which need no log-in. */
import { Elysia } from 'elysia';
import { jsonLimits } from '../../../shared/http/intake/json-scanner.ts';
import { paymentMethods } from '../../../shared/payment-methods.ts';
import type { LoginProtection } from '../../auth/login-protection.ts';
import { callerAddress } from '../../http/request/caller-address.ts';
import { providerUnavailable } from '../../payments/creation/open-payment.ts';
import { ProviderError } from '../../payments/methods/payment-method.ts';
import type { PaymentServices } from '../../payments/payment-services.ts';
import { noSuchMethod, notOurs, takeNotification } from '../../payments/take-notification.ts';
import type { AdminServices } from '../../services.ts';
import { notificationDocs } from './payment-docs.ts';

/** The largest notifications have a few kilobytes. */
const bodyMaxBytes = 64 * 1024;

export function webhookRoute(
  { bodies, config }: AdminServices,
  payments: PaymentServices,
  { requests }: LoginProtection,
) {
  const routes = new Elysia({ prefix: '/api/webhooks' });
  for (const { id, title, sendsNotifications } of paymentMethods) {
    if (!sendsNotifications) continue;
    routes.post(
      `/${id}`,
      async ({ headers, request, server }) => {
        const method = payments.methods.get(id);
        if (method === undefined) throw noSuchMethod(id);
        await requests.countNotification(callerAddress({ request, server }, config));
        // As it was sent: signatures are of these bytes.
        const body = await bodies.read(request, { maxBytes: bodyMaxBytes, json: jsonLimits });
        try {
          const result = await takeNotification(payments, method, { headers, body: body.text });
          if (result === 'foreign') throw notOurs();
          return { result };
        } catch (error) {
          if (error instanceof ProviderError) throw providerUnavailable(error);
          throw error;
        } finally {
          body.release();
        }
      },
      notificationDocs({ id, title }),
    );
  }
  return routes;
}
