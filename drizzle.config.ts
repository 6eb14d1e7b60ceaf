/** Settings of drizzle-kit, which writes the migrations in `drizzle/` from `admin/database/tables/`. */
import { defineConfig } from 'drizzle-kit';

export default defineConfig({ dialect: 'postgresql', schema: './admin/database/tables/*.ts', out: './drizzle' });
