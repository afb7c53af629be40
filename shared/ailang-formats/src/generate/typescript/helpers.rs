//! The helpers of schemas, which a file has as far as it needs them.

/// The helpers, each with the text that calls it. One may need those before it.
pub(super) const HELPERS: &[(&str, &str)] = &[
    (
        "anyValue",
        "const anyValue = z.unknown().refine((value) => value !== undefined, \"expected a value\");\n",
    ),
    (
        "isObject",
        "\
function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === \"object\" && value !== null && !Array.isArray(value);
}
",
    ),
    ("anyObject", "const anyObject = z.custom<Record<string, unknown>>(isObject, \"expected an object\");\n"),
    (
        "passed(",
        "\
function passed<T>(
  parsed: z.ZodSafeParseResult<T>, context: z.RefinementCtx, input: unknown, path: PropertyKey[] = [],
): T {
  if (parsed.success) {
    return parsed.data;
  }
  for (const issue of parsed.error.issues) {
    context.issues.push({ ...issue, input, path: [...path, ...issue.path] } as z.core.$ZodRawIssue);
  }
  return z.NEVER;
}
",
    ),
    (
        "ignoresUnknownFields",
        "\
/** Set while a result is parsed. It may have fields of a newer version, which are ignored then. */
let ignoresUnknownFields = false;
",
    ),
    (
        "struct(",
        "\
/** An object with these fields of its own, and with no others. */
function struct<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const own = (value: unknown): unknown => {
    if (!isObject(value)) {
      return value;
    }
    const fields = Object.entries(value).filter(([key]) => !ignoresUnknownFields || Object.hasOwn(shape, key));
    return Object.assign(Object.create(null), Object.fromEntries(fields));
  };
  return z.preprocess(own, z.strictObject(shape));
}
",
    ),
    (
        "withProto(",
        "\
/** An object with a field called `__proto__`, which zod skips. */
function withProto(proto: z.ZodType, others: z.ZodType): z.ZodType<any> {
  return z.custom<Record<string, unknown>>(isObject, \"expected an object\").transform((given, context) => {
    const value = Object.hasOwn(given, \"__proto__\") ? given[\"__proto__\"] : undefined;
    const rest = Object.fromEntries(Object.entries(given).filter(([key]) => key !== \"__proto__\"));
    const read = passed(proto.safeParse(value), context, value, [\"__proto__\"]);
    const fields = Object.entries(passed(others.safeParse(rest), context, rest) ?? {});
    return Object.fromEntries(read === undefined ? fields : [...fields, [\"__proto__\", read]]);
  });
}
",
    ),
    (
        "dictionary(",
        "\
/** An object with any keys, even those that zod skips. */
function dictionary<T>(values: z.ZodType<T>): z.ZodType<Record<string, T>> {
  return z.custom<Record<string, unknown>>(isObject, \"expected an object\").transform((given, context) => {
    const read = ([key, value]: [string, unknown]) => [key, passed(values.safeParse(value), context, value, [key])];
    return Object.fromEntries(Object.entries(given).map(read));
  });
}
",
    ),
    (
        "result(",
        "\
/** A schema that ignores fields which are not declared. */
function result<T>(schema: z.ZodType<T>): z.ZodType<T> {
  return z.unknown().transform((value, context) => {
    ignoresUnknownFields = true;
    try {
      return passed(schema.safeParse(value), context, value);
    } finally {
      ignoresUnknownFields = false;
    }
  });
}
",
    ),
    (
        "isMultiple(",
        "\
/** Divides numbers as they are written in decimal digits. */
function isMultiple(value: number, step: number): boolean {
  const [[digits, exponent], [by, least]] = [decimal(value), decimal(step)];
  const scaled = (digits: bigint, by: number) => digits * 10n ** BigInt(Math.max(by, 0));
  return by !== 0n && scaled(digits, exponent - least) % scaled(by, least - exponent) === 0n;
}

function decimal(value: number): [bigint, number] {
  const [digits = \"\", exponent = \"\"] = value.toExponential().split(\"e\");
  const [whole = \"\", fraction = \"\"] = digits.split(\".\");
  return [BigInt(whole + fraction), Number(exponent) - fraction.length];
}
",
    ),
    (
        "allDiffer(",
        "\
function allDiffer(items: readonly unknown[]): boolean {
  return new Set(items.map(canonical)).size === items.length;
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) {
    return `[${value.map(canonical).join()}]`;
  }
  if (typeof value === \"object\" && value !== null) {
    const fields = Object.entries(value).map(([key, field]) => `${JSON.stringify(key)}:${canonical(field)}`);
    return `{${fields.sort().join()}}`;
  }
  return JSON.stringify(value);
}
",
    ),
];
