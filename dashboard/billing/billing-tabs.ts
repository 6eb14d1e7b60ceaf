/** The tabs of the billing page, as its address names them. */
export const billingTabs = ['payments', 'documents', 'automatic'] as const;
