/** Runs the demo provider as a program of its own until it is asked to stop. */
import { loadDemoProviderConfiguration } from '../configuration.ts';
import { startDemoProvider } from './server.ts';

const server = startDemoProvider(loadDemoProviderConfiguration());
console.log(`demo provider is listening on ${server.url}`);

process.on('SIGTERM', async () => {
  await server.stop(true);
  process.exit(0);
});
