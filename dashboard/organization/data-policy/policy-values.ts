/** The fields of a data policy, and what they mean to the API. */
import { entriesOf } from '../../app/components/fields/entries.ts';
import type { DataPolicy } from '../queries.ts';

export interface PolicyValues {
  readonly deniesTraining: boolean;
  readonly zdr: boolean;
  /** Codes, separated by commas. */
  readonly countries: string;
  readonly only: string[];
  readonly ignore: string[];
}

export const emptyPolicy: PolicyValues = { deniesTraining: false, zdr: false, countries: '', only: [], ignore: [] };

export const valuesOfPolicy = ({ dataCollection, zdr, countries, only, ignore }: DataPolicy): PolicyValues => ({
  deniesTraining: dataCollection === 'deny',
  countries: countries.join(', '),
  ...{ zdr, only, ignore },
});

export const policyOf = ({ deniesTraining, zdr, countries, only, ignore }: PolicyValues): DataPolicy => ({
  dataCollection: deniesTraining ? 'deny' : 'allow',
  countries: entriesOf(countries),
  ...{ zdr, only, ignore },
});

export const isDemanding = ({ deniesTraining, zdr, countries, only, ignore }: PolicyValues): boolean =>
  deniesTraining || zdr || [countries, only, ignore].some(({ length }) => length > 0);
