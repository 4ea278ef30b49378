import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, nameField, nullable, timestamp } from "../../core/schema.ts";
import { weekdays } from "../../core/time_zone.ts";

export const CarrierField = Type.String({
  pattern: "^[a-z0-9][a-z0-9_-]{0,39}$",
  hint: "must be the code of a carrier, such as local",
});

const Day = Type.String({ pattern: "^\\d{4}-\\d\\d-\\d\\d$", hint: "must be a date, such as 2026-12-24" });

const about = {
  name: "The name of the holiday.",
  month: "The month, from 1 for January.",
  day: "The day of the month; null for a weekday.",
  weekday: "The day of the week, together with `week`.",
  week: "Which of these weekdays in the month; -1 is the last.",
  observed: "Whether a Saturday is observed on the Friday before, and a Sunday on the Monday after.",
  rules: "Holidays that recur every year.",
  days: "Holidays on single dates, in addition to the rules.",
  date: "The calendar day.",
};

const RuleField = closed({
  name: nameField(80, { description: about.name }),
  month: Type.Integer({ minimum: 1, maximum: 12, description: about.month }),
  day: Type.Optional(
    nullable(
      Type.Integer({ minimum: 1, maximum: 31, description: "The day of the month, instead of `weekday` and `week`." }),
    ),
  ),
  weekday: Type.Optional(nullable(choice(weekdays, { description: about.weekday }))),
  week: Type.Optional(
    nullable(
      Type.Union(
        [1, 2, 3, 4, -1].map((week) => Type.Literal(week)),
        { description: about.week },
      ),
    ),
  ),
  observed: Type.Optional(
    Type.Boolean({
      description: `${about.observed} Default: true for a \`day\`.`,
    }),
  ),
});

export const SetHolidays = closed(
  {
    rules: Type.Array(RuleField, { maxItems: 100, description: about.rules }),
    days: Type.Optional(
      Type.Array(
        closed({ date: { ...Day, description: about.date }, name: nameField(80, { description: about.name }) }),
        { maxItems: 500, description: `${about.days} Default: none.` },
      ),
    ),
  },
  ["carrier", "dates", "is_default", "revision", "updated_at"],
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

const HolidayView = closed({
  date: Type.String({ description: about.date }),
  name: Type.String({ description: about.name }),
});

export const HolidaysView = closed({
  carrier: Type.String({ description: "The carrier's code." }),
  rules: Type.Array(
    closed({
      name: Type.String({ description: about.name }),
      month: Type.Integer({ description: about.month }),
      day: nullable(Type.Integer({ description: about.day })),
      weekday: nullable(choice(weekdays, { description: about.weekday })),
      week: nullable(Type.Integer({ description: about.week })),
      observed: Type.Boolean({ description: about.observed }),
    }),
    { description: about.rules },
  ),
  days: Type.Array(HolidayView, { description: about.days }),
  dates: Type.Array(HolidayView, { description: "All holidays in the requested year; empty without `year`." }),
  is_default: Type.Boolean({
    description: "Whether the default applies: the federal holidays of the United States.",
  }),
  revision: Type.Integer({ description: "Counts the changes; 0 while the default applies." }),
  updated_at: nullable(timestamp("When they were last set; null while the default applies.")),
});
