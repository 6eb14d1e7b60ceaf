/** Settings of drizzle-kit, which writes the migrations in `drizzle/` from `shared/tables/`. */
import { defineConfig } from 'drizzle-kit';

export default defineConfig({ dialect: 'postgresql', schema: './shared/tables/*.ts', out: './drizzle' });
