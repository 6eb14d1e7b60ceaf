/**
 * /api/alert-addresses: the targets of mailed links. Their readers need no account, so the pages are rendered here. A
 * page is shown by GET and acts on POST, because mail scanners follow every link.
 */
import { Elysia } from 'elysia';
import { GatewayError } from '../../../shared/errors.ts';
import { checkQuery } from '../../http/request/check-query.ts';
import { preferredLanguage } from '../../http/request/preferred-language.ts';
import { checkLink, confirmAddress, stopAlerts } from '../../notifications/addresses/apply-link.ts';
import type { AdminServices } from '../../services.ts';
import { confirmDocs, showConfirmDocs, showUnsubscribeDocs, unsubscribeDocs } from './address-docs.ts';
import { type LinkResponse, linkQuery } from './address-schemas.ts';
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

  /** For a link that does not work, a browser gets a page and a program gets JSON. */
  const orInvalidPage = async <Result>(action: LinkAction, context: LinkContext, work: () => Promise<Result>) => {
    try {
      return await work();
    } catch (error) {
      const isBadLink = error instanceof GatewayError && error.code === 'invalid_link';
      if (isBadLink && isBrowser(context)) return pageOf(action, { kind: 'invalid' }, context);
      throw error;
    }
  };

  const show = (action: LinkAction, context: LinkContext) => {
    const { token } = checkQuery(linkQuery, context.query);
    return orInvalidPage(action, context, async () => {
      await checkLink(db, action, token);
      return pageOf(action, { kind: 'question' }, context);
    });
  };

  const act = (action: LinkAction, context: LinkContext) => {
    const { token } = checkQuery(linkQuery, context.query);
    return orInvalidPage(action, context, async (): Promise<LinkResponse | Response> => {
      const email = await (action === 'confirm' ? confirmAddress(db, token) : stopAlerts(db, token));
      if (isBrowser(context)) return pageOf(action, { kind: 'done', email }, context);
      return { email, status: action === 'confirm' ? 'active' : 'stopped' };
    });
  };

  return new Elysia({ prefix: '/api/alert-addresses' })
    .get('/confirm', (context) => show('confirm', context), showConfirmDocs)
    .post('/confirm', (context) => act('confirm', context), confirmDocs)
    .get('/unsubscribe', (context) => show('unsubscribe', context), showUnsubscribeDocs)
    .post('/unsubscribe', (context) => act('unsubscribe', context), unsubscribeDocs);
}

function isBrowser({ headers }: LinkContext): boolean {
  return headers.accept?.includes('text/html') === true;
}
