/** Login protection: password hashing, and limits on log-ins and requests. */
import type { AdminServices } from '../services.ts';
import type { PasswordHasher } from './passwords/password-hasher.ts';
import { LoginThrottle } from './throttle/login-throttle.ts';
import { RequestThrottle } from './throttle/request-throttle.ts';
import { Throttle } from './throttle/throttle.ts';

export interface LoginProtection {
  readonly passwords: PasswordHasher;
  readonly logins: LoginThrottle;
  readonly requests: RequestThrottle;
}

/** One for the whole program: the hasher's queue is what bounds its memory. */
export function createLoginProtection({ redis, log }: AdminServices, passwords: PasswordHasher): LoginProtection {
  const throttle = new Throttle(redis, log);
  return { passwords, logins: new LoginThrottle(throttle), requests: new RequestThrottle(throttle) };
}
