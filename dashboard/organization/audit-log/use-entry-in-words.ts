/** An entry as the people of the organization read it: its actor and its subject in their language. */
import { useCallback } from 'react';
import { useTexts } from '../../app/i18n/use-texts.ts';
import type { AuditEntry } from '../../operator/audit/queries.ts';
import { auditLogTexts } from './audit-log-texts.ts';
import type { OrganizationEntry } from './queries.ts';

/** By what the API calls it. */
const textOfThing = {
  'billing key': 'billingKey',
  account: 'account',
  'wallet of account': 'account',
  key: 'key',
  project: 'project',
  budget: 'budget',
  user: 'user',
  invitation: 'invitation',
  payment: 'payment',
  document: 'document',
  'alert address': 'alertAddress',
  request: 'request',
  mail: 'mail',
  webhook: 'webhook',
} as const;

/** Without the ids of the user and the account, which are for operators. */
export function useEntryInWords(): (entry: OrganizationEntry) => AuditEntry {
  const t = useTexts(auditLogTexts);
  return useCallback(
    (entry) => {
      /** `key 7`; what is not of this form stays as it is. */
      const inWords = (written: string) => {
        const [, thing = '', id = ''] = /^([a-z ]+) (\S+)$/.exec(written) ?? [];
        return isThing(thing) ? t(textOfThing[thing], { id }) : written;
      };
      const actor = entry.actor === 'operator' ? t('support') : inWords(entry.actor);
      return { ...entry, actor, subject: inWords(entry.subject), userId: null, accountId: null };
    },
    [t],
  );
}

function isThing(thing: string): thing is keyof typeof textOfThing {
  return Object.hasOwn(textOfThing, thing);
}
