/** What the API asks of a new password, as far as a form can tell before it is sent. */

export const passwordMinLength = 12;
