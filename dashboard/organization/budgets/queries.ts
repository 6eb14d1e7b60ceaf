/** The budgets of the organization from the API, and what is changed in them. */
import { queryOptions } from '@tanstack/react-query';
import { type ApiResponse, api, call } from '../../app/api/api.ts';
import type { paths } from '../../generated/api.ts';

export type Budget = ApiResponse<'/api/budgets'>['budgets'][number];
export type BudgetScope = Budget['scope'];
export type NewBudget = NonNullable<paths['/api/budgets']['post']['requestBody']>['content']['application/json'];
export type BudgetChange = NonNullable<paths['/api/budgets/{id}']['put']['requestBody']>['content']['application/json'];

/** From the organization to keys, and then by name and period. */
export const budgetsQuery = queryOptions({
  queryKey: ['budgets'],
  queryFn: async () => (await call(api.GET('/api/budgets'))).budgets,
});

export const createBudget = (body: NewBudget) => call(api.POST('/api/budgets', { body }));

export const changeBudget = (id: string, body: BudgetChange) =>
  call(api.PUT('/api/budgets/{id}', { params: { path: { id } }, body }));

export const deleteBudget = (id: string) => call(api.DELETE('/api/budgets/{id}', { params: { path: { id } } }));
