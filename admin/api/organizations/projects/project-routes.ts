/** /api/projects: what the proxy keys of the organization are used for. */
import { Elysia } from 'elysia';
import { checkValue } from '../../../../shared/http/check-value.ts';
import { authorized } from '../../../auth/authorize.ts';
import { checkQuery } from '../../../http/request/check-query.ts';
import { changeProject, createProject, findProject, listProjects } from '../../../organizations/projects.ts';
import type { AdminServices } from '../../../services.ts';
import { changeInTurn } from '../../keys/deliver-key.ts';
import { changeProjectDocs, createProjectDocs, listProjectsDocs } from './project-docs.ts';
import {
  changeProjectBody,
  newProjectBody,
  nothingToChangeInProject,
  projectParams,
  renderProject,
} from './project-schemas.ts';

export function projectRoutes(services: AdminServices) {
  const { db } = services.database;
  return new Elysia({ prefix: '/api/projects' })
    .use(authorized(services))
    .get(
      '',
      async ({ caller }) => ({ projects: (await listProjects(db, caller)).map(renderProject) }),
      listProjectsDocs,
    )
    .post(
      '',
      async ({ actor, body, caller, set }) => {
        const fields = checkValue(newProjectBody, body);
        const id = await createProject(db, actor, caller, fields);
        set.status = 201;
        return renderProject(await findProject(db, { accountId: caller.accountId }, id));
      },
      createProjectDocs,
    )
    .put(
      '/:id',
      async ({ actor, body, caller, params, request: { signal } }) => {
        const { accountId } = caller;
        const { id } = checkQuery(projectParams, params);
        const change = checkValue(changeProjectBody, body);
        if (Object.keys(change).length === 0) throw nothingToChangeInProject();
        const apply = () => changeProject(db, actor, caller, { id, change });
        await (change.archived === undefined ? apply() : changeInTurn(services, { accountId, signal }, apply));
        return renderProject(await findProject(db, { accountId }, id));
      },
      changeProjectDocs,
    );
}
