/**
 * Makes ledger and wallet of one account agree after Postgres was restored to an earlier moment. What the wallet has been
 * charged since is booked, as one charge; credits follow the ledger, because their providers are queried about them again.
 *
 * The wallet is read first, then what is waiting in its stream, then the ledger, and then the wallet again: if its version
 * has not changed, every charge was counted once, as booked, as waiting or as lost. Safe to repeat, and under traffic.
 */
import type { Sql } from 'postgres';
import type { AuditedWallet, WalletAuditor } from '../../../shared/wallet/wallet-auditor.ts';
import { applyCharges } from '../../ledger/charges/apply-charges.ts';
import { recoveredCharge } from '../../ledger/charges/recovered-charge.ts';
import { type RepairInput, repairWallet } from '../reconcile/repair/repair-wallet.ts';
import { readTarget, readWaitingCharges, type WalletTarget } from '../reconcile/repair/wallet-target.ts';
import { whileMoving } from '../reconcile/repair/while-moving.ts';

export interface Reclaimed {
  readonly accountId: number;
  /** Charges that the ledger had lost, and has again. */
  readonly chargedNano: bigint;
  /** Credits that the ledger has lost: to be booked again. */
  readonly lostCreditsNano: bigint;
}

/** Undefined if nothing was lost. Throws WalletMovedError. */
export function reclaimAccount(
  services: { readonly sql: Sql; readonly auditor: WalletAuditor },
  input: RepairInput,
): Promise<Reclaimed | undefined> {
  const { accountId } = input;
  return whileMoving(input, async () => {
    const found = await compare(services, accountId);
    if (found === undefined) return undefined;
    const { wallet, target } = found;
    const chargedNano = wallet.spentNano - target.spentNano;
    const lostCreditsNano = wallet.creditedNano - target.creditedNano;
    if (chargedNano === 0n && lostCreditsNano === 0n && wallet.creditSeq === target.creditSeq) return undefined;
    if ((await services.auditor.readWallet(accountId))?.version !== wallet.version) return 'moved';
    if (chargedNano > 0n) {
      const charge = recoveredCharge(accountId, wallet, { lostNano: chargedNano, now: new Date() });
      await applyCharges(services.sql, [charge]);
    }
    // Its row explains that the numbers of the lost charges are missing.
    await repairWallet(services, { ...input, evenIfRight: true });
    return { accountId, chargedNano, lostCreditsNano };
  });
}

async function compare(
  { sql, auditor }: { readonly sql: Sql; readonly auditor: WalletAuditor },
  accountId: number,
): Promise<{ wallet: AuditedWallet; target: WalletTarget } | undefined> {
  const wallet = await auditor.readWallet(accountId);
  if (wallet === undefined) return undefined;
  const waiting = await readWaitingCharges(auditor, accountId);
  const target = await sql.begin((transaction) => readTarget(transaction, accountId, waiting));
  return target && { wallet, target };
}
