import { constraintOf, sqlStateOf } from '../postgres/errors.ts'

type WithDetail = Error & { readonly detail: string }

/** Raised by commit_actors(): rows that the batch would insert already exist. */
export const isDuplicateRows = (error: unknown): error is WithDetail => sqlStateOf(error) === 'PM001'

/** Raised by commit_actors(): the rows were read in another era. */
export const isOfAnotherEra = (error: unknown): boolean => sqlStateOf(error) === 'PM004'

/** The command id is already in the history: its caller has sent it again. */
export const isAlreadyExecuted = (error: unknown): boolean => constraintOf(error) === 'transitions_command_once'
