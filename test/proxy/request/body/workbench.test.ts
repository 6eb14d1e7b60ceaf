/** Large bodies are processed one at a time, and the event loop continues in between. */
import { expect, test } from 'bun:test';
import { Workbench } from '../../../../proxy/request/body/workbench.ts';
import { nextTurn } from '../../../../shared/next-turn.ts';

test('one job runs at a time, what is to be sent comes first, and a failure affects no other job', async () => {
  const workbench = new Workbench();
  const order: string[] = [];
  let running = 0;
  const job = (name: string, purpose: 'read' | 'send') =>
    workbench.run(purpose, async () => {
      running += 1;
      expect(running).toBe(1);
      await nextTurn();
      order.push(name);
      running -= 1;
      if (name === 'broken') throw new Error('broken');
      return name;
    });
  const jobs = [job('a', 'read'), job('b', 'read'), job('broken', 'send'), job('c', 'read'), job('d', 'send')];
  const outcomes = await Promise.allSettled(jobs);
  expect(outcomes.map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
  ]);
  expect(order).toEqual(['a', 'broken', 'd', 'b', 'c']);
  expect(await job('later', 'read')).toBe('later');
});

test('due events of the event loop run between two jobs', async () => {
  const workbench = new Workbench();
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const seen: number[] = [];
  const jobs = Array.from({ length: 4 }, () => workbench.run('read', async () => void seen.push(turns)));
  await Promise.all(jobs);
  isDone = true;
  expect(new Set(seen).size).toBe(jobs.length);
});
