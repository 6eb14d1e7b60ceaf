/** The projects of the organization from the API, and what is changed in them. */
import { queryOptions } from '@tanstack/react-query';
import { type ApiResponse, api, call } from '../../app/api/api.ts';
import type { paths } from '../../generated/api.ts';

export type Project = ApiResponse<'/api/projects'>['projects'][number];
export type NewProject = NonNullable<paths['/api/projects']['post']['requestBody']>['content']['application/json'];
type ProjectChange = NonNullable<paths['/api/projects/{id}']['put']['requestBody']>['content']['application/json'];

/** By name, archived ones last. */
export const projectsQuery = queryOptions({
  queryKey: ['projects'],
  queryFn: async () => (await call(api.GET('/api/projects'))).projects,
});

export const createProject = (body: NewProject) => call(api.POST('/api/projects', { body }));

export const changeProject = (id: number, body: ProjectChange) =>
  call(api.PUT('/api/projects/{id}', { params: { path: { id } }, body }));
