/** The documentation of projects. */
import { projectExists, projectNotFound, projectsMax, tooManyProjects } from '../../../organizations/projects.ts';
import { describe } from '../../docs/describe.ts';
import { project } from '../../fields/example-values.ts';
import { turnErrors } from '../../keys/deliver-key.ts';
import {
  changeProjectBody,
  newProjectBody,
  nothingToChangeInProject,
  projectParams,
  projectSchema,
  projectsSchema,
} from './project-schemas.ts';

const tag = 'Organization';

export const listProjectsDocs = describe({
  id: 'listProjects',
  permission: 'projects:read',
  summary: 'List projects',
  description: 'What the proxy keys of the organization are used for, and what each project spends.',
  own: 'those in which they have a proxy key',
  tag,
  response: { description: 'The projects.', schema: projectsSchema },
});

export const createProjectDocs = describe({
  id: 'createProject',
  permission: 'projects:manage',
  summary: 'Create a project',
  description:
    `Proxy keys are put into it by their \`projectId\`. An organization has at most ${projectsMax} projects, archived ones ` +
    'included.',
  tag,
  body: { schema: newProjectBody },
  response: { status: 201, description: 'The project was created.', schema: projectSchema },
  errors: [projectExists(project.name), tooManyProjects()],
});

export const changeProjectDocs = describe({
  id: 'changeProject',
  permission: 'projects:manage',
  summary: 'Change, archive or restore a project',
  description:
    'Omitted fields stay as they are, and null removes a text. The keys of an archived project are refused with 403 ' +
    '`project_archived`; when the response is sent, on every replica. Its usage stays.',
  tag,
  params: projectParams,
  body: { schema: changeProjectBody, example: { archived: true } },
  response: { description: 'The project after the change.', schema: projectSchema },
  errors: [nothingToChangeInProject(), projectNotFound(project.id), projectExists(project.name), ...turnErrors()],
});
