/** The second factors of the user, and how they are changed. What changes them needs a confirmed session. */
import { queryOptions } from '@tanstack/react-query';
import { type ApiResponse, api, call } from '../../app/api/api.ts';
import { createPasskey, signWithPasskey } from '../../app/second-factor/passkeys.ts';

export type SecondFactors = ApiResponse<'/api/profile/second-factor'>;
export type Passkey = SecondFactors['passkeys'][number];

export const secondFactorsQuery = queryOptions({
  queryKey: ['second-factors'],
  queryFn: () => call(api.GET('/api/profile/second-factor')),
});

export const hasFactor = ({ appSince, passkeys }: SecondFactors): boolean => appSince !== null || passkeys.length > 0;

/** Returns the secret, which counts once a code of it was sent. */
export const beginApp = () => call(api.POST('/api/profile/second-factor/app'));

export const finishApp = (code: string) => call(api.POST('/api/profile/second-factor/app/confirm', { body: { code } }));

export const removeApp = () => call(api.DELETE('/api/profile/second-factor/app'));

export const replaceRecoveryCodes = () => call(api.POST('/api/profile/second-factor/recovery-codes'));

/** Throws PasskeyNotUsed if the browser makes none. */
export async function addPasskey(name: string) {
  const { challenge, options } = await call(api.POST('/api/profile/passkeys/options'));
  const passkey = await createPasskey(options);
  return call(api.POST('/api/profile/passkeys', { body: { challenge, name, passkey } }));
}

export const renamePasskey = (id: number, name: string) =>
  call(api.PUT('/api/profile/passkeys/{id}', { params: { path: { id } }, body: { name } }));

export const removePasskey = (id: number) =>
  call(api.DELETE('/api/profile/passkeys/{id}', { params: { path: { id } } }));

/** Confirms the session: for ten minutes, second factors can be changed in it. */
export const confirmByPassword = (password: string) =>
  call(api.POST('/api/profile/confirm', { body: { current_password: password } }));

export const confirmByCode = (code: string) => call(api.POST('/api/profile/confirm', { body: { code } }));

export async function confirmByPasskey(): Promise<void> {
  const { challenge, options } = await call(api.POST('/api/profile/confirm/passkey'));
  const passkey = await signWithPasskey(options);
  await call(api.POST('/api/profile/confirm', { body: { challenge, passkey } }));
}
