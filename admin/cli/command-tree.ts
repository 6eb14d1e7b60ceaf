/** All commands. */
import type { CommandGroup } from './command.ts';
import { billingKeyCreate } from './commands/billing-key-create.ts';
import { catalogueApply } from './commands/catalogue-apply.ts';
import { catalogueExport } from './commands/catalogue-export.ts';
import { catalogueValidate } from './commands/catalogue-validate.ts';
import { credit } from './commands/credit.ts';
import { doctor } from './commands/doctor.ts';
import { keyCreate } from './commands/key-create.ts';
import { keyList } from './commands/key-list.ts';
import { keyRevoke } from './commands/key-revoke.ts';
import { migrate } from './commands/migrate.ts';
import { reconcile } from './commands/reconcile.ts';
import { refund } from './commands/refund.ts';
import { userCreate } from './commands/user-create.ts';

export const commandTree: CommandGroup = {
  description: "The model gateway's command line",
  commands: {
    migrate,
    user: { description: 'People who log in', commands: { create: userCreate } },
    credit,
    refund,
    key: { description: 'Proxy keys', commands: { create: keyCreate, list: keyList, revoke: keyRevoke } },
    'billing-key': { description: 'Billing keys', commands: { create: billingKeyCreate } },
    catalogue: {
      description: 'Providers, models and prices',
      commands: { validate: catalogueValidate, apply: catalogueApply, export: catalogueExport },
    },
    reconcile,
    doctor,
  },
};
