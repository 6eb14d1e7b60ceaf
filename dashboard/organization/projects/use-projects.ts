/** The projects that the user sees, for pages that choose or name one of them. */
import { useQuery } from '@tanstack/react-query';
import { useMay } from '../../app/session/permissions.ts';
import { type Project, projectsQuery } from './queries.ts';

const none: readonly Project[] = [];

/** None until they are loaded. */
export function useProjects(): readonly Project[] {
  return useQuery({ ...projectsQuery, enabled: useMay('projects:read') }).data ?? none;
}
