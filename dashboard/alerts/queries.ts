/** What the page of alerts asks for, and what it changes. */
import { queryOptions } from '@tanstack/react-query';
import { api, call } from '../app/api/api.ts';
import type { paths } from '../generated/api.ts';

type SettingsPath = paths['/api/settings/notifications'];
type AddressesPath = paths['/api/settings/notifications/addresses'];
export type Settings = SettingsPath['get']['responses'][200]['content']['application/json'];
export type SettingsChange = NonNullable<SettingsPath['put']['requestBody']>['content']['application/json'];
export type AlertAddress = AddressesPath['get']['responses'][200]['content']['application/json']['addresses'][number];

export type TestResult =
  paths['/api/settings/notifications/test']['post']['responses'][200]['content']['application/json'];

export const settingsQuery = queryOptions({
  queryKey: ['notification-settings'],
  queryFn: () => call(api.GET('/api/settings/notifications')),
});

export const addressesQuery = queryOptions({
  queryKey: ['alert-addresses'],
  queryFn: async () => (await call(api.GET('/api/settings/notifications/addresses'))).addresses,
});

export const saveSettings = (body: SettingsChange) => call(api.PUT('/api/settings/notifications', { body }));

export const sendTest = () => call(api.POST('/api/settings/notifications/test'));

/** Mails a link; an address that is on the list but not active gets another one. */
export const addAddress = (email: string) =>
  call(api.POST('/api/settings/notifications/addresses', { body: { email } }));

export const removeAddress = (id: number) =>
  call(api.DELETE('/api/settings/notifications/addresses/{id}', { params: { path: { id } } }));
