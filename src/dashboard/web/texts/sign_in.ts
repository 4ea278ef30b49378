/** The words of the sign-in. */
export const signInTexts = {
  title: "Sign in",
  email: "E-mail",
  password: "Password",
  submit: "Sign in",
} as const;
