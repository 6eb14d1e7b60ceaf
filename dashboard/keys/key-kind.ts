/** Proxy keys pay for requests; billing keys manage proxy keys. */
export const keyKinds = ['proxy', 'billing'] as const;
export type KeyKind = (typeof keyKinds)[number];
