/** Every scenario by the name that `--only` takes, in the order of the report. */
import type { Section } from '../report/section.ts';
import type { Stage } from '../stage/stage.ts';
import { addedLatency } from './added-latency.ts';
import { budgets } from './budgets.ts';
import { customers } from './customers.ts';
import { ladder } from './ladder.ts';
import { largePrompts } from './large-prompts.ts';
import { millionRequests } from './million-requests.ts';
import { refusals } from './refusals.ts';
import { replicas } from './replicas.ts';
import { sameRate } from './same-rate.ts';
import { startUp } from './start-up.ts';
import { ledgerApply } from './stores/ledger-apply.ts';
import { transactions } from './stores/transactions.ts';
import { walletPairs } from './stores/wallet-pairs.ts';
import { mixed } from './streams/mixed.ts';
import { openStreams } from './streams/open-streams.ts';
import { pacedStreams } from './streams/paced-streams.ts';
import { soak } from './streams/soak.ts';
import { unpinned } from './unpinned.ts';
import { wholeResponses } from './whole-responses.ts';

export type Scenario = (stage: Stage) => Promise<Section>;

/** The scenarios that run by default. */
export const usualScenarios: Readonly<Record<string, Scenario>> = {
  json: wholeResponses,
  unpinned,
  customers,
  budgets,
  rate: sameRate,
  latency: addedLatency,
  stream: pacedStreams,
  open: openStreams,
  large: largePrompts,
  mixed,
  refusals,
  replicas,
  ladder,
  wallet: walletPairs,
  apply: ledgerApply,
  startup: startUp,
};

/** They take many minutes each. */
export const longScenarios: Readonly<Record<string, Scenario>> = { transactions, soak, million: millionRequests };
