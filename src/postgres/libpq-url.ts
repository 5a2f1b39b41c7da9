/**
 * The address as graphile-worker's driver must be given it. `sslmode=require` means encrypt, to libpq
 * and to postgres.js; `pg` alone would verify the certificate as well.
 */
export const libpqUrl = (databaseUrl: string): string =>
  `${databaseUrl}${databaseUrl.includes('?') ? '&' : '?'}uselibpqcompat=true`
