/** All commands. */
import type { CommandGroup } from './command.ts';
import { accountBlock, accountUnblock } from './commands/accounts/account-block.ts';
import { accountLimits } from './commands/accounts/account-limits.ts';
import { accountSearch } from './commands/accounts/account-search.ts';
import { accountShow } from './commands/accounts/account-show.ts';
import { accountWriteOff } from './commands/accounts/account-write-off.ts';
import { budgetCreate, budgetDelete, budgetList, budgetUpdate } from './commands/budgets/budget-commands.ts';
import { catalogueApply, catalogueExport } from './commands/catalogue/catalogue-apply.ts';
import { catalogueCompare } from './commands/catalogue/catalogue-compare.ts';
import { catalogueHistory } from './commands/catalogue/catalogue-history.ts';
import { catalogueCancel, catalogueSchedule, catalogueScheduled } from './commands/catalogue/catalogue-schedule.ts';
import { catalogueValidate } from './commands/catalogue/catalogue-validate.ts';
import { documentList } from './commands/documents/document-list.ts';
import { documentCorrect, documentMake, documentPdf } from './commands/documents/document-make.ts';
import { billingKeyCreate, keyCreate } from './commands/keys/key-create.ts';
import { billingKeyList, keyList } from './commands/keys/key-list.ts';
import { billingKeyRevoke, keyRevoke } from './commands/keys/key-revoke.ts';
import { keyRotate } from './commands/keys/key-rotate.ts';
import { keyActivate, keyDeactivate, keyUpdate } from './commands/keys/key-update.ts';
import { memberList, memberRemove, memberRole } from './commands/members/member-commands.ts';
import { credit, refund } from './commands/money/credit-and-refund.ts';
import { exportCommand } from './commands/money/export.ts';
import { receipt } from './commands/money/receipt.ts';
import { transactions } from './commands/money/transactions.ts';
import { afterRestore } from './commands/operations/after-restore.ts';
import { archive } from './commands/operations/archive.ts';
import { audit } from './commands/operations/audit.ts';
import { doctor } from './commands/operations/doctor/doctor.ts';
import { health } from './commands/operations/health.ts';
import { lag } from './commands/operations/lag.ts';
import { mailList, mailResend } from './commands/operations/mails.ts';
import { migrate } from './commands/operations/migrate.ts';
import { reconcile } from './commands/operations/reconcile.ts';
import { verify } from './commands/operations/verify.ts';
import { bankImport } from './commands/payments/bank-import.ts';
import { paymentCancel, paymentConfirm, paymentRefund, refundSettle } from './commands/payments/payment-decide.ts';
import { paymentList } from './commands/payments/payment-list.ts';
import { paymentReceipts } from './commands/payments/payment-receipts.ts';
import { projectArchive, projectCreate, projectRestore, projectUpdate } from './commands/projects/project-change.ts';
import { projectList } from './commands/projects/project-list.ts';
import { userCreate } from './commands/users/user-create.ts';
import { userDelete } from './commands/users/user-delete.ts';
import { userExport } from './commands/users/user-export.ts';
import { userList } from './commands/users/user-list.ts';
import { userResetPassword } from './commands/users/user-reset-password.ts';
import { userResetSecondFactor } from './commands/users/user-reset-second-factor.ts';
import { userDemote, userPromote } from './commands/users/user-role.ts';
import { userShow } from './commands/users/user-show.ts';
import { webhookList, webhookUpdate } from './commands/webhooks/webhook-commands.ts';

export const commandTree: CommandGroup = {
  description: "The model gateway's command line",
  commands: {
    migrate,
    account: {
      description: 'Customer accounts and their limits',
      commands: {
        search: accountSearch,
        show: accountShow,
        block: accountBlock,
        unblock: accountUnblock,
        'write-off': accountWriteOff,
        limits: accountLimits,
      },
    },
    user: {
      description: 'People who log in',
      commands: {
        create: userCreate,
        list: userList,
        show: userShow,
        export: userExport,
        delete: userDelete,
        'reset-password': userResetPassword,
        'reset-second-factor': userResetSecondFactor,
        promote: userPromote,
        demote: userDemote,
      },
    },
    member: {
      description: 'The people of organizations, and what they may do',
      commands: { list: memberList, role: memberRole, remove: memberRemove },
    },
    credit,
    refund,
    payment: {
      description: 'Orders to top up a balance',
      commands: {
        list: paymentList,
        confirm: paymentConfirm,
        cancel: paymentCancel,
        refund: paymentRefund,
        'settle-refund': refundSettle,
        receipts: paymentReceipts,
      },
    },
    bank: { description: 'Bank transfers that have arrived', commands: { import: bankImport } },
    document: {
      description: 'Accounting documents',
      commands: { list: documentList, pdf: documentPdf, make: documentMake, correct: documentCorrect },
    },
    transactions,
    export: exportCommand,
    key: {
      description: 'Proxy keys',
      commands: {
        create: keyCreate,
        list: keyList,
        update: keyUpdate,
        activate: keyActivate,
        deactivate: keyDeactivate,
        rotate: keyRotate,
        revoke: keyRevoke,
      },
    },
    budget: {
      description: 'What organizations, projects, members and keys may spend in a period',
      commands: { create: budgetCreate, list: budgetList, update: budgetUpdate, delete: budgetDelete },
    },
    webhook: {
      description: 'Where events of organizations are sent',
      commands: { list: webhookList, update: webhookUpdate },
    },
    project: {
      description: 'What the proxy keys of organizations are used for',
      commands: {
        create: projectCreate,
        list: projectList,
        update: projectUpdate,
        archive: projectArchive,
        restore: projectRestore,
      },
    },
    'billing-key': {
      description: 'Billing keys',
      commands: { create: billingKeyCreate, list: billingKeyList, revoke: billingKeyRevoke },
    },
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
        compare: catalogueCompare,
      },
    },
    receipt,
    mail: { description: 'E-mails to customers', commands: { list: mailList, resend: mailResend } },
    health,
    lag,
    audit,
    reconcile,
    'after-restore': afterRestore,
    archive,
    verify,
    doctor,
  },
};
