/** A postal address as warehouses and labels keep it. */
export interface Place {
  name: string;
  company?: string | null;
  address_line1: string;
  address_line2: string | null;
  city: string;
  state: string | null;
  postal_code: string | null;
  country: string;
  phone?: string | null;
}
