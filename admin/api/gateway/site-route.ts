/** GET /api/site: what pages need before anyone has logged in. Public, so it holds nothing about accounts. */
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { readRate } from '../../catalogue/exchange-rate/exchange-rate.ts';
import type { AdminServices } from '../../services.ts';
import { describe } from '../docs/describe.ts';
import { renderRubRate, rubRateSchema } from '../fields/rub-rate.ts';
import { oneOf, text } from '../fields/schemas.ts';

export const siteSchema = Type.Object(
  {
    registration: oneOf(['open', 'closed'], 'Whether anyone can sign up, or accounts are created by operators only.'),
    proxyUrl: text('The address of the proxy. Inference is at `/v1/…` below it.', 'https://gateway.example.com'),
    rubRate: rubRateSchema('The exchange rate that roubles are shown at. It changes once a day at most.'),
  },
  { title: 'Site' },
);

const docs = describe({
  id: 'getSite',
  summary: 'How to reach the gateway',
  description: 'What a page needs before log-in. Needs no authentication.',
  tag: 'Gateway',
  permission: 'public',
  response: { description: 'Public addresses and settings.', schema: siteSchema },
});

export const siteRoute = ({ config, database }: AdminServices) =>
  new Elysia().get(
    '/api/site',
    async (): Promise<typeof siteSchema.static> => ({
      registration: config.registrationOpen ? 'open' : 'closed',
      proxyUrl: config.proxyPublicUrl,
      rubRate: renderRubRate(await readRate(database.sql, config)),
    }),
    docs,
  );
