/** Plans a request by the rules of its key, as they were known last, and asks for them before it refuses a request by them. */
import { GatewayError } from '../../../shared/errors.ts';
import { type Plan, type Planned, planOf } from '../planning/plan.ts';
import type { ProxyServices } from '../services.ts';
import type { Caller } from './caller.ts';
import { haveRulesChanged } from './find-caller.ts';

/** Throws GatewayError as `planOf` and `findCaller` do. */
export function planRequest(
  services: ProxyServices,
  caller: Caller,
  wanted: Omit<Planned, 'rules'>,
): Plan | Promise<Plan> {
  const plan = () => planOf({ ...wanted, rules: caller.rules });
  try {
    return plan();
  } catch (error) {
    if (caller.rules === undefined || !isUnfit(error)) throw error;
    return haveRulesChanged(services, caller).then((haveChanged) => {
      if (haveChanged) return plan();
      throw error;
    });
  }
}

function isUnfit(error: unknown): boolean {
  return error instanceof GatewayError && error.code === 'no_deployment_fits';
}
