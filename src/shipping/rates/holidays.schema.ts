import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, nameField, nullable, Timestamp } from "../../core/schema.ts";
import { weekdays } from "../../core/time_zone.ts";

export const CarrierField = Type.String({
  pattern: "^[a-z0-9][a-z0-9_-]{0,39}$",
  hint: "must be the code of a carrier, such as local",
});

const Day = Type.String({ pattern: "^\\d{4}-\\d\\d-\\d\\d$", hint: "must be a date, such as 2026-12-24" });

const RuleField = closed({
  name: nameField(80),
  month: Type.Integer({ minimum: 1, maximum: 12 }),
  day: Type.Optional(
    nullable(
      Type.Integer({ minimum: 1, maximum: 31, description: "The day of the month, instead of `weekday` and `week`." }),
    ),
  ),
  weekday: Type.Optional(nullable(choice(weekdays))),
  week: Type.Optional(
    nullable(
      Type.Union(
        [1, 2, 3, 4, -1].map((week) => Type.Literal(week)),
        {
          description: "Which of these weekdays in the month; -1 is the last.",
        },
      ),
    ),
  ),
  observed: Type.Optional(
    Type.Boolean({
      description: "Whether a Saturday is observed on the Friday before, and a Sunday on the Monday after.",
    }),
  ),
});

export const SetHolidays = closed(
  {
    rules: Type.Array(RuleField, { maxItems: 100, description: "Holidays that recur every year." }),
    days: Type.Optional(
      Type.Array(closed({ date: Day, name: nameField(80) }), { maxItems: 500, description: "Single dates." }),
    ),
  },
  ["carrier", "dates", "usual", "revision", "updated_at"],
);
export type SetHolidays = Static<typeof SetHolidays>;

export const ChooseYear = closed({
  year: Type.Optional(
    Type.Integer({
      minimum: 2000,
      maximum: 2200,
      description: "The year for which to return `dates`. Without it, `dates` is empty.",
    }),
  ),
});
export type ChooseYear = Static<typeof ChooseYear>;

const HolidayView = closed({ date: Type.String(), name: Type.String() });

export const HolidaysView = closed({
  carrier: Type.String(),
  rules: Type.Array(
    closed({
      name: Type.String(),
      month: Type.Integer(),
      day: nullable(Type.Integer()),
      weekday: nullable(choice(weekdays)),
      week: nullable(Type.Integer()),
      observed: Type.Boolean(),
    }),
  ),
  days: Type.Array(HolidayView),
  dates: Type.Array(HolidayView, { description: "The holidays in the requested year." }),
  usual: Type.Boolean({
    description: "Whether the default applies: the federal holidays of the United States.",
  }),
  revision: Type.Integer(),
  updated_at: nullable(Timestamp),
});
