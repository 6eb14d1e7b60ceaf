/**
 * /api/alert-addresses: where mailed links lead. Their readers need no account, so the pages are made here. A page is
 * shown by GET and acts by POST: programs that look into mails follow every link.
 */
import { Elysia } from 'elysia';
import { GatewayError } from '../../../shared/errors.ts';
import { checkQuery } from '../../../shared/http/check-query.ts';
import { preferredLanguage } from '../../http/request/preferred-language.ts';
import { confirmAddress, stopAlerts } from '../../notifications/addresses/answer-link.ts';
import type { AdminServices } from '../../services.ts';
import { confirmDocs, showConfirmDocs, showUnsubscribeDocs, unsubscribeDocs } from './address-docs.ts';
import { type LinkAnswer, linkQuery } from './address-schemas.ts';
import { type LinkAction, linkPage, type PageState } from './link-page.ts';

interface LinkContext {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly query: Readonly<Record<string, string | undefined>>;
}

export function alertLinkRoutes({ config, database }: AdminServices) {
  const { db } = database;
  const { name } = config.mail.brand;

  const pageOf = (action: LinkAction, state: PageState, { headers }: LinkContext) =>
    linkPage({ action, state, language: preferredLanguage(headers['accept-language']), brandName: name });

  const show = (action: LinkAction, context: LinkContext) => {
    checkQuery(linkQuery, context.query);
    return pageOf(action, { kind: 'question' }, context);
  };

  const act = async (action: LinkAction, context: LinkContext): Promise<LinkAnswer | Response> => {
    const { token } = checkQuery(linkQuery, context.query);
    const isBrowser = context.headers.accept?.includes('text/html') === true;
    try {
      const email = await (action === 'confirm' ? confirmAddress(db, token) : stopAlerts(db, token));
      if (isBrowser) return pageOf(action, { kind: 'done', email }, context);
      return { email, status: action === 'confirm' ? 'active' : 'stopped' };
    } catch (error) {
      const isBadLink = error instanceof GatewayError && error.code === 'invalid_link';
      if (isBrowser && isBadLink) return pageOf(action, { kind: 'invalid' }, context);
      throw error;
    }
  };

  return new Elysia({ prefix: '/api/alert-addresses' })
    .get('/confirm', (context) => show('confirm', context), showConfirmDocs)
    .post('/confirm', (context) => act('confirm', context), confirmDocs)
    .get('/unsubscribe', (context) => show('unsubscribe', context), showUnsubscribeDocs)
    .post('/unsubscribe', (context) => act('unsubscribe', context), unsubscribeDocs);
}
