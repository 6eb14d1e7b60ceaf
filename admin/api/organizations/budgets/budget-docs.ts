/** The documentation of budgets. */
import { budgetExists, budgetNotFound, scopeNotFound } from '../../../organizations/budgets.ts';
import { describe } from '../../docs/describe.ts';
import { project } from '../../fields/example-values.ts';
import { turnErrors } from '../../keys/deliver-key.ts';
import {
  budgetParams,
  budgetSchema,
  budgetsSchema,
  changeBudgetBody,
  newBudgetBody,
  nothingToChangeInBudget,
} from './budget-schemas.ts';

const tag = 'Organization';
export const listBudgetsDocs = describe({
  id: 'listBudgets',
  permission: 'budgets:read',
  summary: 'List budgets',
  description: 'What may be spent in which period, and what was. The spending limits of keys are budgets as well.',
  own: 'those that apply to their proxy keys',
  tag,
  response: { description: 'The budgets.', schema: budgetsSchema },
});

export const createBudgetDocs = describe({
  id: 'createBudget',
  permission: 'budgets:manage',
  summary: 'Create a budget',
  description:
    'A request that could exceed it is refused with 403 `budget_exceeded` before it is sent, whatever runs beside it on whichever ' +
    'replica; what requests in flight may cost counts as spent. It counts from what the period has already spent. For a key, it is ' +
    'the same as its spending limit, and the refusal is `key_limit_exceeded`.',
  tag,
  body: { schema: newBudgetBody },
  response: { status: 201, description: 'The budget was created.', schema: budgetSchema },
  errors: [budgetExists(), scopeNotFound('project', project.id), ...turnErrors()],
});

export const changeBudgetDocs = describe({
  id: 'changeBudget',
  permission: 'budgets:manage',
  summary: 'Change a budget',
  description: 'Omitted fields stay as they are. What the period has already spent stays counted.',
  tag,
  params: budgetParams,
  body: { schema: changeBudgetBody },
  response: { description: 'The budget after the change.', schema: budgetSchema },
  errors: [nothingToChangeInBudget(), budgetNotFound(), ...turnErrors()],
});

export const deleteBudgetDocs = describe({
  id: 'deleteBudget',
  permission: 'budgets:manage',
  summary: 'Delete a budget',
  description: 'The change is effective everywhere when the response is sent.',
  tag,
  params: budgetParams,
  response: { status: 204, description: 'The budget is deleted.' },
  errors: [budgetNotFound(), ...turnErrors()],
});
