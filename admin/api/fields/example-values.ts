/** Values that recur in examples, so that all of them show the same customer, key and request. */

export const customer = {
  userId: 42,
  accountId: 17,
  email: 'anna@example.com',
  name: 'Anna',
  password: 'three-quiet-otters-sing',
  newPassword: 'seven-calm-herons-fish',
  companyName: 'ООО «Ромашка»',
  inn: '7707083893',
} as const;

/** Of a log-in. */
export const refreshToken = 'R3Zk0qv1uVnq2b8m3T5yXo7p9sDfGhJkLzXcVbNmQwE';

export const proxyKey = { id: 7, name: 'production', prefix: 'ms-07Zk3QpL' } as const;

export const project = { id: 3, name: 'Support bot' } as const;

export const billingKeyPrefix = 'mk-07Zk3QpL';
export const fullKeyLike = (prefix: string): string => `${prefix}${'x'.repeat(32)}`;

/** Of requests, payments, documents and sessions. */
export const uuid = '01945b2e-7c1a-7d3e-8f10-2b3c4d5e6f70';

export const model = 'gpt-4o-mini';
export const deployment = 'openai/gpt-4o-mini-2024-07-18';
