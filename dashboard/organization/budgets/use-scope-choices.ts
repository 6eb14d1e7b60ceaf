/** The projects, members or keys that a new budget can be for. */
import { useQuery } from '@tanstack/react-query';
import { useMay } from '../../app/session/permissions.ts';
import { keysQuery } from '../../keys/queries.ts';
import { useMembers } from '../members/use-members.ts';
import { useProjects } from '../projects/use-projects.ts';
import type { BudgetScope } from './queries.ts';

interface Choice {
  readonly value: string;
  readonly label: string;
}

/** None until they are loaded. */
export function useScopeChoices(scope: BudgetScope): readonly Choice[] {
  const projects = useProjects();
  const members = useMembers();
  const mayReadKeys = useMay('keys:read');
  const keys = useQuery({ ...keysQuery('proxy'), enabled: mayReadKeys && scope === 'key' }).data ?? [];
  switch (scope) {
    case 'organization':
      return [];
    case 'project':
      return projects.filter(({ archived }) => !archived).map(({ id, name }) => ({ value: String(id), label: name }));
    case 'member':
      return members.map(({ id, email }) => ({ value: String(id), label: email }));
    case 'key':
      return keys.map((key) => ({ value: String(key.id), label: labelOf(key, keys) }));
  }
}

interface NamedKey {
  readonly id: number;
  readonly name: string;
  readonly prefix: string;
}

/** The name of a key, and the beginning of its secret if another key has the same name. */
function labelOf({ id, name, prefix }: NamedKey, among: readonly NamedKey[]): string {
  const isUnique = among.every((other) => other.id === id || other.name !== name);
  return isUnique ? name : `${name} (${prefix}…)`;
}
