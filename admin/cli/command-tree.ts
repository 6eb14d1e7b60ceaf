/** All commands. */
import type { CommandGroup } from './command.ts';
import { accountBlock } from './commands/account-block.ts';
import { accountLimits } from './commands/account-limits.ts';
import { accountSearch } from './commands/account-search.ts';
import { accountShow } from './commands/account-show.ts';
import { accountUnblock } from './commands/account-unblock.ts';
import { audit } from './commands/audit.ts';
import { billingKeyCreate } from './commands/billing-key-create.ts';
import { catalogueApply } from './commands/catalogue-apply.ts';
import { catalogueCancel } from './commands/catalogue-cancel.ts';
import { catalogueExport } from './commands/catalogue-export.ts';
import { catalogueHistory } from './commands/catalogue-history.ts';
import { catalogueSchedule } from './commands/catalogue-schedule.ts';
import { catalogueScheduled } from './commands/catalogue-scheduled.ts';
import { catalogueValidate } from './commands/catalogue-validate.ts';
import { credit } from './commands/credit.ts';
import { doctor } from './commands/doctor.ts';
import { health } from './commands/health.ts';
import { keyCreate } from './commands/key-create.ts';
import { keyList } from './commands/key-list.ts';
import { keyRevoke } from './commands/key-revoke.ts';
import { lag } from './commands/lag.ts';
import { mailList } from './commands/mail-list.ts';
import { mailResend } from './commands/mail-resend.ts';
import { migrate } from './commands/migrate.ts';
import { receipt } from './commands/receipt.ts';
import { reconcile } from './commands/reconcile.ts';
import { refund } from './commands/refund.ts';
import { userCreate } from './commands/user-create.ts';

export const commandTree: CommandGroup = {
  description: "The model gateway's command line",
  commands: {
    migrate,
    account: {
      description: 'Customers and what they may do',
      commands: {
        search: accountSearch,
        show: accountShow,
        block: accountBlock,
        unblock: accountUnblock,
        limits: accountLimits,
      },
    },
    user: { description: 'People who log in', commands: { create: userCreate } },
    credit,
    refund,
    key: { description: 'Proxy keys', commands: { create: keyCreate, list: keyList, revoke: keyRevoke } },
    'billing-key': { description: 'Billing keys', commands: { create: billingKeyCreate } },
    catalogue: {
      description: 'Providers, models and prices',
      commands: {
        validate: catalogueValidate,
        apply: catalogueApply,
        export: catalogueExport,
        schedule: catalogueSchedule,
        scheduled: catalogueScheduled,
        cancel: catalogueCancel,
        history: catalogueHistory,
      },
    },
    receipt,
    mail: { description: 'Mails to customers', commands: { list: mailList, resend: mailResend } },
    health,
    lag,
    audit,
    reconcile,
    doctor,
  },
};
