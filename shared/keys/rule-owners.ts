/** Whose rules the requests of a key obey, in the order in which they are judged. */
export const ruleOwners = ['organization', 'key'] as const;
export type RuleOwner = (typeof ruleOwners)[number];
