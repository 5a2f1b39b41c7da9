export type Locale = 'en' | 'de'

export const locales: readonly Locale[] = ['en', 'de']

/** The texts of one surface in another language: the same keys, and functions of the same values. */
export type Translated<English> = {
  readonly [Key in keyof English]: English[Key] extends string
    ? string
    : English[Key] extends (...values: infer Values) => string
      ? (...values: Values) => string
      : Translated<English[Key]>
}
