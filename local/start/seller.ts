/** The seller of accounting documents: the user's own, otherwise one for demonstration. */
import { join } from 'node:path';
import { readSeller } from '../../admin/documents/seller/read-seller.ts';
import { ConfigurationError } from '../../shared/config/environment.ts';
import type { LocalConfiguration } from '../configuration.ts';

type Inherited = Pick<LocalConfiguration, 'inherited'>;

const demoSeller = join(import.meta.dir, 'demo-seller.yaml');

export function sellerFileOf({ inherited }: Inherited): string {
  return inherited.SELLER_FILE?.trim() || demoSeller;
}

/** What admin would refuse to start with, detected before anything is started. */
export function findSellerProblems(configuration: Inherited): readonly string[] {
  try {
    readSeller(sellerFileOf(configuration));
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
}
