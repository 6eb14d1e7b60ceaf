/** The bodies of sign-ins with an identity provider. */
import { closedObject, emailAddress } from '../fields/schemas.ts';

export const beginSignInBody = closedObject({
  email: emailAddress('The address of the person, whose domain an organization has proven.'),
});
