/** Types of admin's responses, from the schemas of its routes, for tests that read them. */
import type { deletedSchema } from '../../../admin/api/account/deletion-schemas.ts';
import type {
  addressListSchema,
  addressSchema,
  linkResponseSchema,
} from '../../../admin/api/alert-addresses/address-schemas.ts';
import type { firstStepsSchema } from '../../../admin/api/first-steps/first-steps-route.ts';
import type { modelsSchema } from '../../../admin/api/gateway/models-schemas.ts';
import type { siteSchema } from '../../../admin/api/gateway/site-route.ts';
import type {
  billingKeySchema,
  createdKeySchema,
  proxyKeySchema,
  rotatedKeySchema,
} from '../../../admin/api/keys/key-schemas.ts';
import type { balanceSchema } from '../../../admin/api/money/balance-route.ts';
import type { listedRequestSchema, receiptSchema } from '../../../admin/api/money/requests-schemas.ts';
import type { statementLineSchema } from '../../../admin/api/money/transactions-schemas.ts';
import type { settingsSchema, testResultSchema } from '../../../admin/api/notifications/notification-schemas.ts';
import type { accountDetailSchema, accountSchema, creditSchema } from '../../../admin/api/operator/accounts-schemas.ts';
import type {
  appliedSchema,
  catalogueSchema,
  historySchema,
  scheduledSchema,
} from '../../../admin/api/operator/catalogue-schemas.ts';
import type {
  auditSchema,
  healthSchema,
  lagSchema,
  mailSchema,
} from '../../../admin/api/operator/operations-schemas.ts';
import type { playgroundKeySchema } from '../../../admin/api/playground/playground-route.ts';
import type { changedDetailsSchema, profileSchema } from '../../../admin/api/profile/profile-schemas.ts';
import type { sessionEntrySchema } from '../../../admin/api/sessions/sessions-schemas.ts';

export type Site = typeof siteSchema.static;
export type PriceList = typeof modelsSchema.static;
export type FirstSteps = typeof firstStepsSchema.static;
export type Balance = typeof balanceSchema.static;
export type Profile = typeof profileSchema.static;
export type ChangedDetails = typeof changedDetailsSchema.static;
export type SessionList = { readonly sessions: (typeof sessionEntrySchema.static)[] };
export type PlaygroundKey = typeof playgroundKeySchema.static;
export type CreatedKey = typeof createdKeySchema.static;
export type RotatedKey = typeof rotatedKeySchema.static;
export type ProxyKey = typeof proxyKeySchema.static;
/** The fields of proxy keys; billing keys have fewer. */
export type KeyList = { readonly keys: (typeof billingKeySchema.static & Partial<ProxyKey>)[] };
export type TransactionList = {
  readonly transactions: (typeof statementLineSchema.static)[];
  readonly nextCursor: string | null;
};
export type RequestList = {
  readonly requests: (typeof listedRequestSchema.static)[];
  readonly nextCursor: string | null;
};
export type Receipt = typeof receiptSchema.static;
export type Settings = typeof settingsSchema.static;
export type TestResult = typeof testResultSchema.static;

export type Deleted = typeof deletedSchema.static;
export type AlertAddress = typeof addressSchema.static;
export type AlertAddressList = typeof addressListSchema.static;
export type LinkResponse = typeof linkResponseSchema.static;

export type AccountList = { readonly accounts: (typeof accountSchema.static)[] };
export type AccountDetail = typeof accountDetailSchema.static;
export type Credit = typeof creditSchema.static;
export type AuditList = { readonly entries: (typeof auditSchema.static)[] };
export type Catalogue = typeof catalogueSchema.static;
export type Applied = typeof appliedSchema.static;
export type PriceHistory = typeof historySchema.static;
export type Scheduled = typeof scheduledSchema.static;
export type Health = typeof healthSchema.static;
export type Lag = typeof lagSchema.static;
export type MailList = { readonly mails: (typeof mailSchema.static)[] };
