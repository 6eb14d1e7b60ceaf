/** How many there are of something, as people say it: `1 model`, `2 models`. */
export const countOf = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
