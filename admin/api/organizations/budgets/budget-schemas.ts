/** Budgets, in requests and responses. */
import { Type } from '@sinclair/typebox';
import { GatewayError } from '../../../../shared/errors.ts';
import { budgetLevels, type Scope } from '../../../../shared/limits/budget-levels.ts';
import { spendLimits } from '../../../../shared/limits/spend-limits.ts';
import { type NanoUsd, zeroNano } from '../../../../shared/money.ts';
import { type BudgetChange, type BudgetState, budgetId } from '../../../organizations/budgets.ts';
import { project } from '../../fields/example-values.ts';
import { usdFields, usdValues } from '../../fields/money.ts';
import { closedObject, idOf, integer, nullable, oneOf, text, timestamp } from '../../fields/schemas.ts';
import { parseUsdAmount, type UsdAmount, usdAmount } from '../../fields/usd-amount.ts';

const scopes = budgetLevels.map(({ name }) => name);
const periods = spendLimits.map(({ name }) => name);
const alertsMax = 5;
const percentMax = 100;
const defaultAlerts = [50, 80, 100];
const exampleId = `project-${project.id}-month`;

const either = (words: readonly string[]) => new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(words);

const scope = oneOf(scopes, 'Whose spending it limits.', 'project');
const period = oneOf(
  periods,
  `The amount may be spent ${either(spendLimits.map(({ within }) => within))}, as the organization's time zone has it.`,
  'month',
);
const alertsAt = Type.Array(Type.Integer({ minimum: 1, maximum: percentMax }), {
  maxItems: alertsMax,
  uniqueItems: true,
  description: 'At which percentages of the amount a mail is sent, once in each period. None for budgets of keys.',
  expected: `at most ${alertsMax} different whole numbers from 1 to ${percentMax}`,
  example: defaultAlerts,
});

const budgetFields = {
  id: text('The id of the budget: its scope and its period.', exampleId),
  scope,
  scopeId: nullable(integer('The id of the key, user or project; null for the organization.', project.id)),
  scopeName: nullable(
    text("The key's name, the member's e-mail address or the project's name; null for the organization.", project.name),
  ),
  period,
  ...usdFields('amount', 'What may be spent in the period, in USD.', '50'),
  alertsAt,
  ...usdFields('spent', 'What was spent in this period, in USD.', '12.5'),
  ...usdFields('reserved', 'What requests in flight may still spend of it, in USD.', '0.004'),
  resetsAt: nullable(timestamp('When the period begins again; null if it never does.', '2030-02-01T00:00:00.000Z')),
};

export const budgetSchema = Type.Object(budgetFields, { title: 'Budget' });

export const budgetsSchema = Type.Object(
  {
    budgets: Type.Array(Type.Object(budgetFields), {
      description: 'Those of the organization, of projects, of members and of keys, by name and period.',
    }),
  },
  { title: 'Budgets' },
);

export const budgetParams = Type.Object({
  id: Type.String({
    maxLength: 60,
    description: 'The id of the budget, as the list of budgets shows it.',
    expected: `the id of a budget, such as ${exampleId}`,
    example: exampleId,
  }),
});

const amount = usdAmount('What may be spent in the period.', '50');

export const newBudgetBody = closedObject({
  scope,
  scopeId: Type.Optional(
    idOf(
      'a key, a user or a project',
      'The id of the key, user or project; left out for the organization.',
      project.id,
    ),
  ),
  period,
  amount,
  alertsAt: Type.Optional(alertsAt),
});

export const changeBudgetBody = closedObject({
  amount: Type.Optional(amount),
  alertsAt: Type.Optional(alertsAt),
});

/** Throws GatewayError `missing_parameter` and `invalid_parameter`. */
export function parseNewBudget(accountId: number, input: typeof newBudgetBody.static) {
  const level = input.scope;
  const scopeId = input.scopeId;
  if (level === 'organization' && scopeId !== undefined && scopeId !== accountId) throw badScopeId();
  if (level !== 'organization' && scopeId === undefined) throw scopeIdMissing();
  const alerts = level === 'key' ? (input.alertsAt ?? []) : (input.alertsAt ?? defaultAlerts);
  const place: Scope = { level, accountId, id: scopeId ?? accountId };
  refuseAlertsOfKey(place, alerts);
  return { scope: place, period: input.period, amountNano: readAmount(input.amount), alertsAt: inOrder(alerts) };
}

/** Throws GatewayError `missing_parameter` and `invalid_parameter`. */
export function parseBudgetChange(input: typeof changeBudgetBody.static): BudgetChange {
  if (Object.keys(input).length === 0) throw nothingToChangeInBudget();
  return {
    ...(input.amount !== undefined && { amountNano: readAmount(input.amount) }),
    ...(input.alertsAt !== undefined && { alertsAt: inOrder(input.alertsAt) }),
  };
}

function readAmount(given: UsdAmount): NanoUsd {
  const amountNano = parseUsdAmount(given);
  if (amountNano <= zeroNano) {
    throw new GatewayError('invalid_parameter', "Invalid value for 'amount': expected an amount above 0.", {
      param: 'amount',
    });
  }
  return amountNano;
}

/** Throws GatewayError `invalid_parameter`. */
export function refuseAlertsOfKey({ level }: Scope, alerts: readonly number[]): void {
  if (level !== 'key' || alerts.length === 0) return;
  throw new GatewayError('invalid_parameter', 'Budgets of keys send no mails. Leave `alertsAt` out.', {
    param: 'alertsAt',
  });
}

const inOrder = (alerts: readonly number[]) => alerts.toSorted((one, other) => one - other);

const badScopeId = () =>
  new GatewayError('invalid_parameter', "Invalid value for 'scopeId': leave it out for the organization.", {
    param: 'scopeId',
  });

const scopeIdMissing = () =>
  new GatewayError('missing_parameter', '`scopeId` is required, unless the scope is the organization.', {
    param: 'scopeId',
  });

export function nothingToChangeInBudget(): GatewayError {
  return new GatewayError('missing_parameter', 'Send at least one of `amount` and `alertsAt`.', { param: 'amount' });
}

export function renderBudget(budget: BudgetState): typeof budgetSchema.static {
  const { scope: place, scopeName, amountNano, spentNano, reservedNano, resetsAt } = budget;
  return {
    id: budgetId(budget),
    scope: place.level,
    scopeId: place.level === 'organization' ? null : place.id,
    scopeName,
    period: budget.period,
    ...usdValues('amount', amountNano),
    alertsAt: [...budget.alertsAt],
    ...usdValues('spent', spentNano),
    ...usdValues('reserved', reservedNano),
    resetsAt: resetsAt?.toISOString() ?? null,
  };
}
