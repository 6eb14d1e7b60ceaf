/** Is the configuration one that admin would start with? */
import { loadAdminConfig } from '../../../../../shared/config/admin.ts';
import { ConfigurationError } from '../../../../../shared/config/environment.ts';
import type { Finding } from './check.ts';

export function checkConfiguration(): Finding[] {
  try {
    loadAdminConfig();
    return [{ check: 'configuration', status: 'ok', detail: 'complete' }];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.problems.map((problem) => ({
      check: 'configuration',
      status: 'fail',
      detail: problem,
      advice: 'Correct the variable; docs/configuration.md lists all of them.',
    }));
  }
}
