/**
 * Plans a request by the rules of its key, as this process knows them. If the wallet replies that they have changed, it is planned
 * again; before it is refused because of them, the wallet is asked whether they have.
 */
import { GatewayError } from '../../../shared/errors.ts';
import { withoutOfferedSearch } from '../planning/paid-search.ts';
import { type Plan, type Planned, planOf } from '../planning/plan.ts';
import type { ProxyServices } from '../services.ts';
import type { Caller } from './caller.ts';
import { haveRulesChanged } from './find-caller.ts';

type Wanted = Omit<Planned, 'rules' | 'omitsSearch'>;

export class Planner {
  readonly #caller: Caller;
  readonly #wanted: Wanted;
  #plan: Plan;
  #omitsSearch = false;

  /** Throws GatewayError as `planOf` does. */
  constructor(caller: Caller, wanted: Wanted) {
    this.#caller = caller;
    this.#wanted = wanted;
    this.#plan = planOf({ ...wanted, rules: caller.rules });
  }

  /** By the rules that the caller is judged by now. Throws GatewayError as `planOf` does. */
  get plan(): Plan {
    const { rules } = this.#caller;
    if (rules !== this.#plan.rules) this.#plan = planOf({ ...this.#wanted, rules, omitsSearch: this.#omitsSearch });
    return this.#plan;
  }

  /** Plans it without the search that it offers. Returns whether that is another plan. */
  omitSearch(): boolean {
    if (this.#omitsSearch || withoutOfferedSearch(this.#wanted.call) === undefined) return false;
    this.#omitsSearch = true;
    this.#plan = planOf({ ...this.#wanted, rules: this.#caller.rules, omitsSearch: true });
    return true;
  }
}

/** Throws GatewayError as `planOf` and `findCaller` do. */
export function planRequest(services: ProxyServices, caller: Caller, wanted: Wanted): Planner | Promise<Planner> {
  try {
    return new Planner(caller, wanted);
  } catch (error) {
    if (caller.rules === undefined || !isUnfit(error)) throw error;
    return haveRulesChanged(services, caller).then((haveChanged) => {
      if (haveChanged) return new Planner(caller, wanted);
      throw error;
    });
  }
}

function isUnfit(error: unknown): boolean {
  return error instanceof GatewayError && error.code === 'no_deployment_fits';
}
