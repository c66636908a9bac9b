// The types of Standard Schema and Standard JSON Schema (standardschema.dev), as far as they are used.
import type { Issue } from "./errors.js";

/** A schema that validates: zod, valibot, arktype and others. */
export interface StandardSchemaV1<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    /** Validates and transforms a value. */
    readonly validate?: (value: unknown, options?: never) => Result<Output> | PromiseLike<Result<Output>>;
    readonly jsonSchema?: JsonSchemaConverter | undefined;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** What writes a schema as JSON Schema. */
export interface JsonSchemaConverter {
  readonly input: (options: { readonly target: "draft-2020-12"; readonly libraryOptions?: Record<string, unknown> }) => Record<string, unknown>;
}

/** What a validator returns. */
export type Result<Output> = { readonly value: Output; readonly issues?: undefined } | { readonly issues: readonly Issue[] };

/** The type that a schema's validator returns. */
export type InferOutput<S extends AnySchema> = Infer<S, "output">;

/**
 * The type that a schema's validator takes: that of partial values, which it has not seen yet. Where the two types are the
 * same, so is this one.
 */
export type InferInput<S extends AnySchema> = Infer<S, "input">;

/** One of the two types of a schema, or `unknown` if it has none. */
type Infer<S extends AnySchema, Side extends "input" | "output"> = S extends { readonly "~standard": { readonly types?: infer Types } }
  ? NonNullable<Types> extends { readonly [side in Side]: infer Type }
    ? Type
    : unknown
  : S extends { readonly static: infer Static }
    ? Static
    : unknown;

/** A JSON Schema: an object, of any library's type, or `true` or `false`. */
export type JsonSchema = object | boolean;

/** A schema that tells the type of its value: a Standard Schema, or one of typebox before 1. */
export type TypedSchema = StandardSchemaV1 | { readonly static: unknown };

/** Anything that says what a value should be. */
export type AnySchema = TypedSchema | JsonSchema;

/** What validates a value by a Standard Schema. */
export type Validate = (value: unknown) => Result<unknown> | PromiseLike<Result<unknown>>;

/** Returns whether a validator's result comes later. */
export function isLater<T>(result: T | PromiseLike<T>): result is PromiseLike<T> {
  return typeof (result as PromiseLike<T> | undefined)?.then === "function";
}

/** Returns a schema as JSON Schema, if it can be written as that. */
export function standardJson(schema: StandardSchemaV1): Record<string, unknown> | undefined {
  // zod's option: what JSON Schema lacks, such as a date, allows anything there, and the rest is still coerced.
  const libraryOptions = { unrepresentable: "any" };
  return schema["~standard"].jsonSchema?.input({ target: "draft-2020-12", libraryOptions });
}

/** Returns whether a schema follows Standard Schema. */
export function isStandard(schema: unknown): schema is StandardSchemaV1 {
  return (typeof schema === "object" || typeof schema === "function") && schema !== null && "~standard" in schema;
}
