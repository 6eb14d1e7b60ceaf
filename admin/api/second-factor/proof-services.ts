/** What answers are checked with, as it is configured now. */
import type { ProofServices } from '../../auth/second-factor/prove.ts';
import type { AdminConfig } from '../../config/admin.ts';

export const proofServices = ({ keyPeppers, mail, publicUrl }: AdminConfig): ProofServices => ({
  keyPeppers,
  site: { publicUrl, name: mail.brand.name },
});
