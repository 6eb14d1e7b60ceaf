/** `gateway project list`: the projects of an organization. */
import { renderProject } from '../../../api/organizations/projects/project-schemas.ts';
import { listProjects } from '../../../organizations/projects.ts';
import { command } from '../../command.ts';
import { listOf } from '../../list.ts';
import { withDatabase } from '../../with-database.ts';
import { accountArguments, findNamedAccount } from '../accounts/name-account.ts';

type ListedProject = ReturnType<typeof renderProject>;

export const projectColumns = {
  PROJECT: ({ id }: ListedProject) => id,
  STATE: ({ archived }: ListedProject) => (archived ? 'archived' : 'active'),
  KEYS: ({ keys }: ListedProject) => keys,
  '30 DAYS, $': ({ spend30dUsd }: ListedProject) => spend30dUsd,
  'COST CENTER': ({ costCenter }: ListedProject) => costCenter,
  NAME: ({ name }: ListedProject) => name,
};

export const projectList = command({
  description: 'List the projects of an organization',
  args: accountArguments,
  run: (named) =>
    withDatabase(async (database) => {
      const accountId = await findNamedAccount(database, named);
      const projects = (await listProjects(database.db, { accountId })).map(renderProject);
      const text = listOf(projects, { none: `Account ${accountId} has no projects.`, columns: projectColumns });
      return { text, object: { projects } };
    }),
});
