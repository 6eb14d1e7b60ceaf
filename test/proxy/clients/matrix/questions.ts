/** The tools and the schema that every client gets, and the results of the tools. */
import { z } from 'zod';

export const weather = {
  name: 'weather',
  description: 'The weather of a city.',
  schema: z.object({ city: z.string() }),
};
export const clock = { name: 'clock', description: 'The time.', schema: z.object({}) };
export const tools = [weather, clock] as const;

export const pointSchema = z.object({ x: z.number(), y: z.number() });

/** The format that most clients need. */
export function jsonSchemaOf({ schema }: (typeof tools)[number]): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema);
  return rest;
}

export function resultOf(name: string): string {
  return `of ${name}`;
}
