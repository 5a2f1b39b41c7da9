/** The address of the file of a logo, on this server. */
export const logoUrlOf = (publicUrl: string, logo: string | null): string | null =>
  logo === null ? null : `${publicUrl}/logos/${logo}`
