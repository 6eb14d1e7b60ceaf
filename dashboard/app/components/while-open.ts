/** `comboboxProps` of fields with a list: its options are in the page only while it is open, not all the time. */
export const whileOpen = { keepMounted: false } as const;
