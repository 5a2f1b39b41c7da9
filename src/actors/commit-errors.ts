import { constraintOf, sqlStateOf } from '../postgres/errors.ts'

type WithDetail = Error & { readonly detail: string }

/** Raised by commit_actors(): rows that the batch would insert are already there. */
export const isDuplicateRows = (error: unknown): error is WithDetail => sqlStateOf(error) === 'PM001'

/** Raised by commit_actors(): the rows were read from, or remembered of, another server or another time of this one. */
export const isOfAnotherEra = (error: unknown): boolean => sqlStateOf(error) === 'PM004'

/** History has the command already: whoever chose its id sends it again. */
export const isTakenBefore = (error: unknown): boolean => constraintOf(error) === 'transitions_command_once'
